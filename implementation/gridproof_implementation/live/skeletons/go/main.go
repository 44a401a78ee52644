// What one member of your system can be asked.
//
// Each verb of the agent protocol gets the fields of a question and returns those of its answer. They ask a toy so that
// all of it runs as it is; let them ask a member of your system instead, one after another. The rules are in
// docs/adapter-protocol.md of gridproof.
package main

import (
	"errors"
	"fmt"
)

var me string

// Start your member so that it listens on host:port, and let it join the members that q["seeds"] names.
func start(q Fields) (Fields, error) {
	me = q.Text("name")
	_, err := ask[any]("join", me, q.Number("partitions"), q.Number("backups"))
	return Fields{"member": me, "address": fmt.Sprintf("%s:%d", q.Text("host"), q.Number("port"))}, err
}

// For each partition, the members that hold it, the primary first.
func table(Fields) (Fields, error) {
	rows, err := ask[[][]string]("rows")
	return Fields{"member": me, "rows": rows}, err
}

// Why the member is not at rest, or nil; the members it lists; a stamp that is equal if tables are equal.
func settled(Fields) (Fields, error) {
	why, died := ask[*string]("mend")
	members, gone := ask[[]string]("members")
	rows, err := ask[[][]string]("rows")
	return Fields{"member": me, "members": members, "why": why, "stamp": fmt.Sprint(rows)}, errors.Join(died, gone, err)
}

// The partition in which the system itself puts a key.
func partition(q Fields) (Fields, error) {
	number, unknown := ask[int]("partition_of", q.Text("key"))
	row, err := ask[[]string]("row", number)
	return Fields{"partition": number, "owner": row[0]}, errors.Join(unknown, err)
}

// Write. Refused(why) means certainly not done; return an error if it may have been done.
func put(q Fields) (Fields, error) {
	copies, err := ask[int]("put", q.Text("key"), q.Text("value"))
	return Fields{"outcome": "ok", "confirmed": copies}, err
}

// Read. A value of nil means that there is no such entry; return an error if you cannot say.
func get(q Fields) (Fields, error) {
	value, err := ask[*string]("get", q.Text("key"))
	return Fields{"outcome": "ok", "value": value}, err
}

// What this very member holds, whatever its role: of the partitions asked for, or of all if none are.
func replicas(q Fields) (Fields, error) {
	held, err := ask[map[int]map[string]string]("held")
	rows, unknown := ask[[][]string]("rows")
	copies := []Fields{}
	for number, entries := range held {
		if q.Wants("partitions", number) {
			copies = append(copies, Fields{"partition": number, "role": role(rows[number]), "entries": entries})
		}
	}
	return Fields{"copies": copies}, errors.Join(err, unknown)
}

func role(row []string) string {
	for slot, member := range row {
		if member == me {
			return []string{"primary", "backup"}[min(slot, 1)]
		}
	}
	return "left over"
}

// Shut down in good order: before you answer, other members have what this one holds.
func leave(Fields) (Fields, error) {
	_, err := ask[any]("leave")
	return Fields{"done": true}, err
}

func main() {
	verbs := map[string]Verb{
		"start": start, "table": table, "settled": settled, "partition": partition,
		"put": put, "get": get, "replicas": replicas, "leave": leave,
	}
	// What the documents of your system say about a property (`gridproof properties` lists them), and where.
	promises := Fields{"acknowledged-write-kept": Fields{
		"word": "promised", "source": "toy.py: every write is in every copy", "least_backups": 1}}
	Serve("toy", "1", verbs, Fields{"promises": promises})
}
