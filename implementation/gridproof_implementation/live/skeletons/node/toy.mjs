// A toy that stands in for your system; delete it, and toy.py, which it is: a program that is asked in lines.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const program = spawn('python3', ['toy.py'], { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = []

createInterface({ input: program.stdout }).on('line', (line) => {
  const { resolve, reject } = waiting.shift()
  const { value, error } = JSON.parse(line)
  error === undefined ? resolve(value) : reject(error)
})

// What a method of the toy returns.
export const ask = (method, ...asked) =>
  new Promise((resolve, reject) => {
    waiting.push({ resolve, reject })
    program.stdin.write(JSON.stringify([method, ...asked]) + '\n')
  })
