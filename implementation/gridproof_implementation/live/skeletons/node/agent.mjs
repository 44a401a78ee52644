// What one member of your system can be asked.
//
// Each function is a verb of the agent protocol and gets the fields of a question. They ask a toy so that all of it
// runs as it is; let them ask a member of your system instead, one after another. The rules are in
// docs/adapter-protocol.md of gridproof.

import { ok, serve } from './gridproof_agent.mjs'
import { ask } from './toy.mjs'

let me

const verbs = {
  // Start your member so that it listens on host:port, and let it join the members that `seeds` names.
  async start({ name, host, port, partitions, backups }) {
    me = name
    await ask('join', name, partitions, backups)
    return { member: me, address: `${host}:${port}` }
  },

  // For each partition, the members that hold it, the primary first.
  table: async () => ({ member: me, rows: await ask('rows') }),

  // Why the member is not at rest, or null; the members it lists; a stamp that is equal if tables are equal.
  async settled() {
    const why = await ask('mend')
    return { member: me, members: await ask('members'), why, stamp: JSON.stringify(await ask('rows')) }
  },

  // The partition in which the system itself puts a key.
  partition: async ({ key }) => ({ partition: await ask('partition_of', key), owner: (await ask('row_of', key))[0] }),

  // Write. "refused" means certainly not done; throw if it may have been done.
  put: async ({ key, value }) => ok({ confirmed: await ask('put', key, value) }),

  // Read. A value of null means that there is no such entry; throw if you cannot say.
  get: async ({ key }) => ok({ value: await ask('get', key) }),

  // What this very member holds, whatever its role: of the partitions asked for, or of all if none are.
  async replicas({ partitions }) {
    const [held, rows] = [await ask('held'), await ask('rows')]
    const shown = Object.keys(held).map(Number).filter((number) => !partitions || partitions.includes(number))
    const role = (number) => ['primary', 'backup'][Math.min(1, rows[number].indexOf(me))] ?? 'left over'
    return { copies: shown.map((number) => ({ partition: number, role: role(number), entries: held[number] })) }
  },

  // Shut down in good order: before you answer, other members have what this one holds.
  async leave() {
    await ask('leave')
    return { done: true }
  }
}

// What the documents of your system say about a property (`gridproof properties` lists them), and where.
const promises = {
  'acknowledged-write-kept': { word: 'promised', source: 'toy.py: every write is in every copy', least_backups: 1 }
}

serve('toy', '1', verbs, { promises })
