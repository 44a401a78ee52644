module agent

go 1.21
