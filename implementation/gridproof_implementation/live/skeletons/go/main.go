// What one member of your system can be asked.
//
// Each verb of the agent protocol gets the fields of a question and returns those of its answer. They ask the toy in toy.go
// so that all of it runs at once; let them ask a member of your system instead, one after another. The rules are in
// docs/adapter-protocol.md of gridproof.
package main

import "fmt"

var toy Toy

// Start your member so that it listens on host:port, and have it join those that q["seeds"] names.
func start(q Fields) (Fields, error) {
	err := toy.Join(q.Text("name"), q.Number("partitions"), q.Number("backups"))
	return Fields{"member": toy.Name, "address": fmt.Sprintf("%s:%d", q.Text("host"), q.Number("port"))}, err
}

// For each partition, the members that hold it, the primary first.
func table(Fields) (Fields, error) {
	return Fields{"member": toy.Name, "rows": toy.Rows()}, nil
}

// Why the member is not at rest, or nil; members it lists; what is equal where tables are equal.
func settled(Fields) (Fields, error) {
	why := toy.Mend()
	return Fields{"member": toy.Name, "members": toy.Members(), "why": why, "stamp": fmt.Sprint(toy.Rows())}, nil
}

// Where the system itself puts a key.
func partition(q Fields) (Fields, error) {
	key := q.Text("key")
	return Fields{"partition": toy.PartitionOf(key), "owner": toy.RowOf(key)[0]}, nil
}

// Write. Refused(why) means certainly not done; return an error where it may have been done.
func put(q Fields) (Fields, error) {
	copies, err := toy.Put(q.Text("key"), q.Text("value"))
	return Fields{"outcome": "ok", "confirmed": copies}, err
}

// Read. A value of nil means that there is no such entry; return an error where you cannot say.
func get(q Fields) (Fields, error) {
	value, err := toy.Get(q.Text("key"))
	return Fields{"outcome": "ok", "value": value}, err
}

// What this very member holds, whatever its role; without partitions, of all of them.
func replicas(q Fields) (Fields, error) {
	held, err := toy.Held()
	copies := []Fields{}
	for number, entries := range held {
		if q.Wants("partitions", number) {
			copies = append(copies, Fields{"partition": number, "role": toy.Role(number), "entries": entries})
		}
	}
	return Fields{"copies": copies}, err
}

// Shut down in good order: what this member holds is with others when you answer.
func leave(Fields) (Fields, error) {
	return Fields{"done": true}, toy.Leave()
}

func main() {
	verbs := map[string]Verb{
		"start": start, "table": table, "settled": settled, "partition": partition,
		"put": put, "get": get, "replicas": replicas, "leave": leave,
	}
	// What the documents of your system say of a property (`gridproof properties` lists them), and where.
	promises := Fields{"acknowledged-write-kept": Fields{
		"word": "promised", "source": "toy.go: every write is in every copy", "least_backups": 1}}
	Serve("toy", "1", verbs, Fields{"promises": promises})
}
