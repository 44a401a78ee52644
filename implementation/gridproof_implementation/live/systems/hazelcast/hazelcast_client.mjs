// The public Node.js client of Hazelcast beside its agent, offline: where it sends a key.
//
// The argument is the folder that holds the package. A key comes as a list of its type and its text: for numbers and
// booleans the text as Java writes it; floating-point numbers, bytes and UUIDs as bytes in hexadecimal. A number in
// JavaScript has no width, so there is one serialization service per declared width, as its users set `defaultNumberType`.

import { createRequire } from 'node:module'
import * as path from 'node:path'
import { serve } from '../../skeletons/node/gridproof_agent.mjs'

const require = createRequire(path.join(process.argv[2], 'package.json'))
export const { Client, UUID } = require('hazelcast-client')
const { version } = require('hazelcast-client/package.json')
const Long = require('long')
const { HeapData } = require('hazelcast-client/lib/serialization/HeapData')
const { SerializationServiceV1 } = require('hazelcast-client/lib/serialization/SerializationService')
const { SerializationConfigImpl } = require('hazelcast-client/lib/config/SerializationConfig')
const { PartitionServiceImpl } = require('hazelcast-client/lib/PartitionService')

export const widths = { byte: 'byte', short: 'short', int: 'integer', float: 'float', double: 'double' }

const bytes = (text) => Buffer.from(text, 'hex')
const long = (buffer, at) => new Long(buffer.readInt32BE(at + 4), buffer.readInt32BE(at))
export const clientsForm = {
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

export const verbs = { partitions_of }

serve('hazelcast-node-client', version, verbs, { kind: 'router', key_types: Object.keys(clientsForm) })
