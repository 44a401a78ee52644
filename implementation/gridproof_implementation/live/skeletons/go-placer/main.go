// Which nodes your library puts a key on.
//
// One function is asked, with many keys at once. Here it has its own rule, so that the whole runs as it is; let it ask
// your library instead. The rules are in docs/adapter-protocol.md of gridproof.
package main

import (
	"crypto/md5"
	"sort"
)

const copies = 2

// Ask your library here; return an error if it cannot say. A node has a name, a zone and a weight.
func nodesOf(key string, nodes []any) ([]string, error) {
	names, order := []string{}, map[string]string{}
	for _, node := range nodes {
		name := node.(map[string]any)["name"].(string)
		sum := md5.Sum([]byte(name + " " + key))
		names, order[name] = append(names, name), string(sum[:])
	}
	sort.Slice(names, func(a, b int) bool { return order[names[a]] < order[names[b]] })
	return names[:min(copies, len(names))], nil
}

// For each key, the names of the nodes that hold it, the first copy first.
func place(q Fields) (Fields, error) {
	placed := [][]string{}
	for _, key := range q["keys"].([]any) {
		names, err := nodesOf(key.(string), q["nodes"].([]any))
		if err != nil {
			return nil, err
		}
		placed = append(placed, names)
	}
	return Fields{"placed": placed}, nil
}

func main() {
	// What the documents of your library say about a property (`gridproof properties` lists them), and where.
	promises := Fields{
		"one-replica-per-member":    Fields{"word": "promised", "source": "main.go: a node stands in an order once"},
		"movement-only-to-newcomer": Fields{"word": "promised", "source": "main.go: the order of the others stays"},
	}
	// Add separates_zones if it is meant to keep the copies of a key in different zones.
	Serve("toy", "1", map[string]Verb{"place": place}, Fields{"kind": "placer", "copies": copies, "promises": promises})
}
