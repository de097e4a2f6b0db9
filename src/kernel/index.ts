/** The kernel role: the only holder of the key that signs leases. */
export { type ApprovalRegister, createApprovalRegister } from './approvals/desk.ts';
export {
  createKernelConnection,
  type KernelConnection,
  type KernelConnectionOptions,
  kernelClient,
} from './client.ts';
export { createKernel, type Kernel } from './kernel.ts';
export type { KernelConfig, KernelOptions, KernelPlans } from './options.ts';
export { createPlanKernelClient, type PlanKernelClient } from './plan-client.ts';
export { published } from './published.ts';
export { deriveRoutes, kernelRoutes } from './routes.ts';
export { createSchedules, type Schedules } from './schedules/index.ts';
export { createKernelServer, type KernelServerOptions } from './server.ts';
