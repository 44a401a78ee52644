// What one member of your system can be asked.
//
// Each function is a verb of the agent protocol and gets the fields of a question. They ask the toy in toy.mjs so that all
// of it runs at once; let them ask a member of your system instead, one after another. The rules are in
// docs/adapter-protocol.md of gridproof.

import { ok, serve } from './gridproof_agent.mjs'
import * as toy from './toy.mjs'

const verbs = {
  // Start your member so that it listens on host:port, and have it join those that `seeds` names.
  start({ name, host, port, partitions, backups }) {
    toy.join(name, partitions, backups)
    return { member: name, address: `${host}:${port}` }
  },

  // For each partition, the members that hold it, the primary first.
  table: () => ({ member: toy.name(), rows: toy.rows() }),

  // Why the member is not at rest, or null; members it lists; what is equal where tables are equal.
  settled: () => ({ member: toy.name(), members: toy.members(), why: toy.mend(), stamp: JSON.stringify(toy.rows()) }),

  // Where the system itself puts a key.
  partition: ({ key }) => ({ partition: toy.partitionOf(key), owner: toy.rowOf(key)[0] }),

  // Write. "refused" means certainly not done; throw where it may have been done.
  put: ({ key, value }) => ok({ confirmed: toy.put(key, value) }),

  // Read. A value of null means that there is no such entry; throw where you cannot say.
  get: ({ key }) => ok({ value: toy.get(key) }),

  // What this very member holds, whatever its role; without partitions, of all of them.
  replicas({ partitions }) {
    const held = [...toy.held()].filter(([number]) => !partitions || partitions.includes(number))
    return { copies: held.map(([partition, entries]) => ({ partition, role: toy.role(partition), entries })) }
  },

  // Shut down in good order: what this member holds is with others when you answer.
  leave() {
    toy.leave()
    return { done: true }
  }
}

// What the documents of your system say of a property (`gridproof properties` lists them), and where.
const promises = {
  'acknowledged-write-kept': { word: 'promised', source: 'toy.mjs: every write is in every copy', least_backups: 1 }
}

serve('toy', '1', verbs, { promises })
