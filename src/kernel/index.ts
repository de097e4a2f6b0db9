/** The kernel role: the only holder of the key that signs leases. */
export { createKernelClient, type KernelClient, type KernelClientOptions } from './client.ts';
export { createKernel, type Kernel } from './kernel.ts';
export type { KernelConfig, KernelOptions } from './options.ts';
export { createKernelServer, type KernelServerOptions } from './server.ts';
