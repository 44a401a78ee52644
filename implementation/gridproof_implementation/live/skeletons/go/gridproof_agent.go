package main

// The Go side of the agent protocol, with the standard library only.
//
// Each question has a goroutine of its own. The process ends when its standard input ends; print to standard error only.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// Fields of a question or an answer, by name.
type Fields map[string]any

// Verb takes the fields of a question and returns those of its answer.
type Verb func(Fields) (Fields, error)

// Serve says hello, then answers until standard input ends; traits are further fields of the hello.
func Serve(system, version string, verbs map[string]Verb, traits Fields) {
	out, lock := json.NewEncoder(os.Stdout), sync.Mutex{}
	say := func(id any, fields Fields) {
		lock.Lock()
		defer lock.Unlock()
		fields["id"] = id
		if err := out.Encode(fields); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	offers := []string{}
	for name := range verbs {
		offers = append(offers, name)
	}
	hello := Fields{"protocol": 1, "system": system, "version": version, "offers": offers}
	for name, value := range traits {
		hello[name] = value
	}
	say(0, hello)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		question := Fields{}
		if err := json.Unmarshal(lines.Bytes(), &question); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		go func() { say(question["id"], answer(verbs, question)) }()
	}
	os.Exit(0)
}

func answer(verbs map[string]Verb, question Fields) (fields Fields) {
	defer func() {
		if trouble := recover(); trouble != nil {
			fields = Fields{"error": fmt.Sprint(trouble)}
		}
	}()
	verb, known := verbs[question.Text("do")]
	if !known {
		return Fields{"not_offered": true}
	}
	fields, err := verb(question)
	if err == nil && fields == nil {
		err = fmt.Errorf("%s returned no fields", question.Text("do"))
	}
	if err != nil {
		return Fields{"error": err.Error()}
	}
	return fields
}

// Refused is the answer of a write that was certainly not done.
func Refused(why string) Fields { return Fields{"outcome": "refused", "why": why} }

// Unknown is the answer of a write that may have been done.
func Unknown(why string) Fields { return Fields{"outcome": "unknown", "why": why} }

// Text is a field of the question.
func (q Fields) Text(name string) string { return q[name].(string) }

// Number is a field of the question.
func (q Fields) Number(name string) int { return int(q[name].(float64)) }

// Wants says whether a list of numbers contains this one, or is absent.
func (q Fields) Wants(name string, number int) bool {
	list, given := q[name].([]any)
	for _, one := range list {
		if int(one.(float64)) == number {
			return true
		}
	}
	return !given
}
