// The Node.js side of the agent protocol; no package is needed.
//
// A verb may return a promise. The process ends when its standard input ends. console.log goes to standard error.

import { createInterface } from 'node:readline'

export function serve(system, version, verbs, traits = {}) {
  console.log = console.error
  const say = (message) => process.stdout.write(JSON.stringify(message) + '\n')
  say({ id: 0, protocol: 1, system, version, offers: Object.keys(verbs), ...traits })
  const lines = createInterface({ input: process.stdin })
  lines.on('line', async (line) => {
    const { id, do: verb, ...fields } = JSON.parse(line)
    try {
      say(Object.hasOwn(verbs, verb) ? { id, ...(await verbs[verb](fields)) } : { id, not_offered: true })
    } catch (error) {
      say({ id, error: String(error) })
    }
  })
  lines.on('close', () => process.exit(0))
}

export const ok = (fields = {}) => ({ outcome: 'ok', ...fields })
export const refused = (why) => ({ outcome: 'refused', why: String(why) })
export const unknown = (why) => ({ outcome: 'unknown', why: String(why) })
