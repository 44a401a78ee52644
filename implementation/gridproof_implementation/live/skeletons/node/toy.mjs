// A toy that stands in for your system; delete it.
//
// The members are processes that share a folder, each with a file an entry: every one sees everything, so nobody has to
// send.

import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'

const root = path.join(process.env.GRIDPROOF_FOLDER ?? '.', 'toy')
let me, partitions, backups

const md5 = (text) => createHash('md5').update(text).digest('hex')
const folder = (member) => path.join(root, member)
const fileOf = (key) => '=' + md5(key)
const folders = () => fs.readdirSync(root).sort()
const files = (member) => fs.readdirSync(folder(member)).filter((name) => name.startsWith('='))
const read = (member, file) => JSON.parse(fs.readFileSync(path.join(folder(member), file), 'utf8'))

function write(member, file, entry) {
  const half = path.join(folder(member), `${process.pid}-${file}`)
  fs.writeFileSync(half, JSON.stringify(entry))
  fs.renameSync(half, path.join(folder(member), file))
}

function lives(member) {
  try {
    process.kill(Number(fs.readFileSync(path.join(folder(member), 'pid'), 'utf8')), 0)
    return true
  } catch {
    return false
  }
}

const rowFor = (all, partition) =>
  all.map((member) => [md5(`${partition} ${member}`), member]).sort().slice(0, 1 + backups).map(([, member]) => member)

export const name = () => me
export const members = () => folders().filter(lives)
export const partitionOf = (key) => parseInt(md5(key).slice(0, 8), 16) % partitions
export const rowOf = (key) => rowFor(members(), partitionOf(key))

export function rows() {
  const all = members()
  return Array.from({ length: partitions }, (_, partition) => rowFor(all, partition))
}

export function join(name, partitionCount, backupCount) {
  ;[me, partitions, backups] = [name, partitionCount, backupCount]
  fs.mkdirSync(folder(me), { recursive: true })
  fs.writeFileSync(path.join(folder(me), 'pid'), String(process.pid))
  share()
}

export function leave() {
  fs.rmSync(path.join(folder(me), 'pid'))
  share()
  fs.rmSync(folder(me), { recursive: true })
}

export function put(key, value) {
  const row = rowOf(key)
  row.forEach((member) => write(member, fileOf(key), [key, value]))
  return row.length
}

export function get(key) {
  const [primary] = rowOf(key)
  return files(primary).includes(fileOf(key)) ? read(primary, fileOf(key))[1] : null
}

export function held() {
  const found = new Map()
  for (const [key, value] of files(me).map((file) => read(me, file))) {
    const partition = partitionOf(key)
    found.set(partition, { ...found.get(partition), [key]: value })
  }
  return found
}

export function role(partition) {
  return ['primary', 'backup'][Math.min(1, rowFor(members(), partition).indexOf(me))] ?? 'left over'
}

// Take the folders of the dead away and share anew; return what was done.
export function mend() {
  const dead = folders().filter((member) => !lives(member))
  dead.forEach((member) => fs.rmSync(folder(member), { recursive: true, force: true }))
  if (dead.length === 0) return null
  share()
  return `${dead[0]} died`
}

// Have every entry in its row, and nowhere else.
function share() {
  const all = members()
  const entries = folders().flatMap((member) => files(member).map((file) => [file, read(member, file)]))
  for (const [file, entry] of entries) {
    const row = rowFor(all, partitionOf(entry[0]))
    for (const member of folders()) {
      if (row.includes(member)) write(member, file, entry)
      else fs.rmSync(path.join(folder(member), file), { force: true })
    }
  }
}
