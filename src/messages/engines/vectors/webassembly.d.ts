/** What the kernel needs of WebAssembly: the types of Node 20 have none of it, and the library of browsers brings a page along. */
declare namespace WebAssembly {
  class Module {
    constructor(code: Uint8Array);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: unknown;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
    /** By pages of 64 KiB; every buffer had before is empty then. */
    grow(pages: number): number;
  }
}
