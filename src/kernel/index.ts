/** The kernel role: the only holder of the key that signs leases. */
export { createKernelConnection, type KernelConnection, type KernelConnectionOptions } from './client.ts';
export { createPlanKernelClient, type PlanKernelClient } from './client-plans.ts';
export { createKernel, type Kernel } from './kernel.ts';
export type { KernelConfig, KernelOptions, PlanSide } from './options.ts';
export { deriveRoutes, kernelRoutes } from './routes.ts';
export { createKernelServer, type KernelServerOptions } from './server.ts';
