// Which nodes your library puts a key on.
//
// One function is asked, with many keys at once. Here it has its own rule, so that the whole runs as it is; let it ask
// your library instead. The rules are in docs/adapter-protocol.md of gridproof.

import { createHash } from 'node:crypto'
import { serve } from './gridproof_agent.mjs'

const copies = 2

// Ask your library here; throw if it cannot say. A node has a name, a zone and a weight.
function nodesOf(key, nodes) {
  const order = nodes.map(({ name }) => [createHash('md5').update(`${name} ${key}`).digest('hex'), name]).sort()
  return order.slice(0, copies).map(([, name]) => name)
}

// For each key, the names of the nodes that hold it, the first copy first.
const place = ({ keys, nodes }) => ({ placed: keys.map((key) => nodesOf(key, nodes)) })

// What the documents of your library say about a property (`gridproof properties` lists them), and where.
const promises = {
  'one-replica-per-member': { word: 'promised', source: 'agent.mjs: a node stands in an order once' },
  'movement-only-to-newcomer': { word: 'promised', source: 'agent.mjs: the order of the others stays' }
}

// Add separates_zones: true if it is meant to keep the copies of a key in different zones.
serve('toy', '1', { place }, { kind: 'placer', copies, promises })
