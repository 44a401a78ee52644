package main

// A toy that stands in for your system; delete it.
//
// The members are processes that share a folder, each with a file an entry: every one sees everything, so nobody has to
// send.

import (
	"crypto/md5"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
)

var root = filepath.Join(os.Getenv("GRIDPROOF_FOLDER"), "toy")

// Toy is one member.
type Toy struct {
	Name                string
	partitions, backups int
}

type entry struct{ Key, Value string }

func (t *Toy) Join(name string, partitions, backups int) error {
	t.Name, t.partitions, t.backups = name, partitions, backups
	if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, name, "pid"), []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		return err
	}
	return t.share()
}

func (t *Toy) Leave() error {
	os.Remove(filepath.Join(root, t.Name, "pid"))
	if err := t.share(); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(root, t.Name))
}

func (t *Toy) Members() []string {
	members := []string{}
	for _, name := range namesIn(root) {
		if lives(name) {
			members = append(members, name)
		}
	}
	return members
}

func (t *Toy) Rows() [][]string {
	rows, members := [][]string{}, t.Members()
	for partition := 0; partition < t.partitions; partition++ {
		rows = append(rows, t.row(members, partition))
	}
	return rows
}

func (t *Toy) PartitionOf(key string) int {
	number, _ := strconv.ParseUint(hash(key)[:8], 16, 64)
	return int(number % uint64(t.partitions))
}

func (t *Toy) RowOf(key string) []string { return t.row(t.Members(), t.PartitionOf(key)) }

func (t *Toy) Put(key, value string) (int, error) {
	row := t.RowOf(key)
	for _, member := range row {
		if err := write(member, "="+hash(key), entry{key, value}); err != nil {
			return 0, err
		}
	}
	return len(row), nil
}

func (t *Toy) Get(key string) (*string, error) {
	found, err := read(t.RowOf(key)[0], "="+hash(key))
	if os.IsNotExist(err) {
		return nil, nil
	}
	return &found.Value, err
}

func (t *Toy) Held() (map[int]map[string]string, error) {
	held := map[int]map[string]string{}
	for _, file := range filesOf(t.Name) {
		found, err := read(t.Name, file)
		if err != nil {
			return nil, err
		}
		partition := t.PartitionOf(found.Key)
		if held[partition] == nil {
			held[partition] = map[string]string{}
		}
		held[partition][found.Key] = found.Value
	}
	return held, nil
}

func (t *Toy) Role(partition int) string {
	for slot, member := range t.row(t.Members(), partition) {
		if member == t.Name {
			return []string{"primary", "backup"}[min(slot, 1)]
		}
	}
	return "left over"
}

// Mend takes the folders of the dead away and shares anew; it returns what was done.
func (t *Toy) Mend() *string {
	var died *string
	for _, name := range namesIn(root) {
		if !lives(name) {
			os.RemoveAll(filepath.Join(root, name))
			news := name + " died"
			died = &news
		}
	}
	if died != nil {
		t.share()
	}
	return died
}

// share has every entry in its row, and nowhere else.
func (t *Toy) share() error {
	members, entries := t.Members(), map[string]entry{}
	for _, name := range namesIn(root) {
		for _, file := range filesOf(name) {
			if found, err := read(name, file); err == nil {
				entries[file] = found
			}
		}
	}
	for file, found := range entries {
		row := " " + strings.Join(t.row(members, t.PartitionOf(found.Key)), " ") + " "
		for _, name := range namesIn(root) {
			if !strings.Contains(row, " "+name+" ") {
				os.Remove(filepath.Join(root, name, file))
			} else if err := write(name, file, found); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Toy) row(members []string, partition int) []string {
	row := append([]string{}, members...)
	sort.Slice(row, func(i, j int) bool {
		return hash(fmt.Sprint(partition, " ", row[i])) < hash(fmt.Sprint(partition, " ", row[j]))
	})
	return row[:min(1+t.backups, len(row))]
}

func lives(name string) bool {
	text, err := os.ReadFile(filepath.Join(root, name, "pid"))
	pid, _ := strconv.Atoi(string(text))
	return err == nil && pid > 0 && syscall.Kill(pid, 0) == nil
}

func namesIn(folder string) []string {
	names, found := []string{}, []os.DirEntry{}
	found, _ = os.ReadDir(folder)
	for _, one := range found {
		names = append(names, one.Name())
	}
	return names
}

func filesOf(member string) []string {
	files := []string{}
	for _, name := range namesIn(filepath.Join(root, member)) {
		if strings.HasPrefix(name, "=") {
			files = append(files, name)
		}
	}
	return files
}

func read(member, file string) (entry, error) {
	found := entry{}
	text, err := os.ReadFile(filepath.Join(root, member, file))
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	return found, err
}

func write(member, file string, value entry) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	half, err := os.CreateTemp(filepath.Join(root, member), "half")
	if err != nil {
		return err
	}
	if _, err = half.Write(text); err == nil {
		err = half.Close()
	}
	if err != nil {
		return err
	}
	return os.Rename(half.Name(), filepath.Join(root, member, file))
}

func hash(text string) string { return fmt.Sprintf("%x", md5.Sum([]byte(text))) }
