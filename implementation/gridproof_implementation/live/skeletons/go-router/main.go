// Where your client sends a key.
//
// One function is asked, with many keys at once. Here it has its own rule, so that the whole runs as it is; let it ask
// your client instead. The rules are in docs/adapter-protocol.md of gridproof.
package main

import (
	"crypto/md5"
	"encoding/binary"
)

// Ask your client here; return an error if it refuses a key, with the reason.
func partitionOf(text string, count int) (int, error) {
	sum := md5.Sum([]byte(text))
	return int(binary.BigEndian.Uint64(sum[:]) % uint64(count)), nil
}

// A key is its type and its text. A text among the partitions says why a key is refused.
func partitionsOf(q Fields) (Fields, error) {
	partitions := []any{}
	for _, key := range q["keys"].([]any) {
		found, err := partitionOf(key.([]any)[1].(string), q.Number("count"))
		if err != nil {
			partitions = append(partitions, err.Error())
			continue
		}
		partitions = append(partitions, found)
	}
	return Fields{"partitions": partitions}, nil
}

func main() {
	// What the documents of your client say about a property (`gridproof properties` lists them), and where.
	promises := Fields{
		"partition-in-range": Fields{"word": "promised", "source": "main.go: a remainder"},
		"key-to-partition":   Fields{"word": "promised", "source": "main.go: all clients have one rule"},
	}
	// Leave own_rule out if your client is to have Hazelcast's rule: its answers are then compared with that rule.
	traits := Fields{"kind": "router", "key_types": []string{"string"}, "own_rule": "MD5", "promises": promises}
	Serve("toy", "1", map[string]Verb{"partitions_of": partitionsOf}, traits)
}
