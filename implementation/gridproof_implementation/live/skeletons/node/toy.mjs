// A toy that stands in for your system; delete it, and the program behind it, toy.py, which answers line by line.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const program = spawn('python3', ['toy.py'], { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = []

createInterface({ input: program.stdout }).on('line', (line) => {
  const { resolve, reject } = waiting.shift()
  const { value, error } = JSON.parse(line)
  error === undefined ? resolve(value) : reject(error)
})

// Returns what a method of the toy returns.
export const ask = (method, ...asked) =>
  new Promise((resolve, reject) => {
    waiting.push({ resolve, reject })
    program.stdin.write(JSON.stringify([method, ...asked]) + '\n')
  })
