// The public Node.js client of Hazelcast beside its agent: offline, where it sends a key; connected, what it writes and reads.
//
// The argument is the folder that holds the package. A key comes as a list of its type and its text: of numbers and
// booleans the text as Java writes it, of floating-point numbers, bytes and UUIDs their bytes in hexadecimal. A number in
// JavaScript has no width, so there is one serialization service per declared width, as its users set `defaultNumberType`.

import { createRequire } from 'node:module'
import * as path from 'node:path'
import { serve } from '../../skeletons/node/gridproof_agent.mjs'

const require = createRequire(path.join(process.argv[2], 'package.json'))
const { Client, UUID } = require('hazelcast-client')
const { version } = require('hazelcast-client/package.json')
const Long = require('long')
const { HeapData } = require('hazelcast-client/lib/serialization/HeapData')
const { SerializationServiceV1 } = require('hazelcast-client/lib/serialization/SerializationService')
const { SerializationConfigImpl } = require('hazelcast-client/lib/config/SerializationConfig')
const { PartitionServiceImpl } = require('hazelcast-client/lib/PartitionService')

const MAP = 'typed'
const widths = { byte: 'byte', short: 'short', int: 'integer', float: 'float', double: 'double' }
const clients = new Map()

const bytes = (text) => Buffer.from(text, 'hex')
const long = (buffer, at) => new Long(buffer.readInt32BE(at + 4), buffer.readInt32BE(at))
const clientsForm = {
  string: (text) => text,
  boolean: (text) => text === 'true',
  byte: Number,
  short: Number,
  int: Number,
  long: (text) => Long.fromString(text),
  float: (text) => bytes(text).readFloatBE(),
  double: (text) => bytes(text).readDoubleBE(),
  uuid: (text) => new UUID(long(bytes(text), 0), long(bytes(text), 8)),
  bytes,
  raw: (text) => new HeapData(Buffer.concat([Buffer.alloc(8), bytes(text)]))
}

function serialization(type) {
  const config = new SerializationConfigImpl()
  config.defaultNumberType = widths[type] ?? config.defaultNumberType
  return new SerializationServiceV1(config, { getOrReplicateSchema: () => {} })
}

function partitions_of({ keys, count }) {
  const services = {}
  const place = ([type, text]) => {
    try {
      services[type] ??= new PartitionServiceImpl(null, serialization(type))
      services[type].checkAndSetPartitionCount(count)
      return services[type].getPartitionId(clientsForm[type](text))
    } catch (error) {
      return `${error.name}: ${error.message}`
    }
  }
  return { partitions: keys.map(place) }
}

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

const verbs = {
  partitions_of,
  put: async ({ key: [type, text], value, addresses }) => {
    await (await mapFor(type, addresses)).set(clientsForm[type](text), value)
    return { outcome: 'ok' }
  },
  get: async ({ key: [type, text], addresses }) => ({
    outcome: 'ok',
    value: await (await mapFor(type, addresses)).get(clientsForm[type](text))
  })
}

serve('hazelcast-node-client', version, verbs, { kind: 'router', key_types: Object.keys(clientsForm) })
