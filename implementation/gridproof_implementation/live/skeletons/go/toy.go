package main

// A toy that stands in for your system; delete it, and the program behind it, toy.py, which answers line by line.

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"sync"
)

var asking sync.Mutex
var questions, answers = startToy()

func startToy() (*json.Encoder, *json.Decoder) {
	program := exec.Command("python3", "toy.py")
	program.Stderr = os.Stderr
	in, _ := program.StdinPipe()
	out, _ := program.StdoutPipe()
	if err := program.Start(); err != nil {
		panic(err)
	}
	return json.NewEncoder(in), json.NewDecoder(out)
}

// ask returns what a method of the toy returns.
func ask[T any](method string, asked ...any) (T, error) {
	asking.Lock()
	defer asking.Unlock()
	answer := struct {
		Value T
		Error string
	}{}
	if err := questions.Encode(append([]any{method}, asked...)); err != nil {
		return answer.Value, err
	}
	if err := answers.Decode(&answer); err != nil {
		return answer.Value, err
	}
	if answer.Error != "" {
		return answer.Value, errors.New(answer.Error)
	}
	return answer.Value, nil
}
