/** One of the Lua scripts that BullMQ brings, as its build lays it down. */
declare module 'bullmq/dist/cjs/scripts/addStandardJob-9.js' {
  export const addStandardJob: { readonly name: string; readonly content: string; readonly keys: number };
}
