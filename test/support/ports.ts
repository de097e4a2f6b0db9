import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Ports of 127.0.0.1 that are free at this moment, all different. For servers that cannot choose one themselves. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const server = createServer().listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
    ports.push(address.port);
  }
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  return ports;
}
