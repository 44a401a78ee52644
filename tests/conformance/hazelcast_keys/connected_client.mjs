// The public Node.js client of Hazelcast, connected: what it writes and reads. Its keys are those of its agent.

import {
  Client, clientsForm, verbs, widths
} from '../../../implementation/gridproof_implementation/live/systems/hazelcast/hazelcast_client.mjs'

const MAP = 'typed'
const clients = new Map()

// A client of its own per declared width: that is a setting of a whole client.
async function mapFor(type, addresses) {
  const width = widths[type] ?? 'double'
  if (!clients.has(width)) {
    const network = { clusterMembers: addresses, connectionTimeout: 5000 }
    const options = { network, serialization: { defaultNumberType: width }, properties: { 'hazelcast.logging.level': 'OFF' } }
    clients.set(width, await Client.newHazelcastClient(options))
  }
  return await clients.get(width).getMap(MAP)
}

Object.assign(verbs, {
  put: async ({ key: [type, text], value, addresses }) => {
    await (await mapFor(type, addresses)).set(clientsForm[type](text), value)
    return { outcome: 'ok' }
  },
  get: async ({ key: [type, text], addresses }) => ({
    outcome: 'ok',
    value: await (await mapFor(type, addresses)).get(clientsForm[type](text))
  })
})
