// Where your client sends a key.
//
// One function is asked, with many keys at once. Here it has its own rule, so that the whole runs as it is; let it ask
// your client instead. The rules are in docs/adapter-protocol.md of gridproof.

import { createHash } from 'node:crypto'
import { serve } from './gridproof_agent.mjs'

// Ask your client here; throw if it refuses a key.
const partitionOf = (text, count) => Number(BigInt('0x' + createHash('md5').update(text).digest('hex')) % BigInt(count))

// A key is its type and its text. A text among the partitions says why a key is refused.
function partitions_of({ keys, count }) {
  const answer = ([, text]) => {
    try {
      return partitionOf(text, count)
    } catch (error) {
      return String(error)
    }
  }
  return { partitions: keys.map(answer) }
}

// What the documents of your client say about a property (`gridproof properties` lists them), and where.
const promises = {
  'partition-in-range': { word: 'promised', source: 'agent.mjs: a remainder' },
  'key-to-partition': { word: 'promised', source: 'agent.mjs: all clients have one rule' }
}

// Leave own_rule out if your client is to have Hazelcast's rule: its answers are then compared with that rule.
serve('toy', '1', { partitions_of }, { kind: 'router', key_types: ['string'], own_rule: 'MD5', promises })
