import { createServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listenersOf, portHolder } from '../../../../src/adapters/linux/port-holder.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:20B9 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000 100 0 0 10 0
   1: 0100007F:20B9 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0000000000000000 20 4 30 10 -1
   2: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 17 1 0000000000000000 100 0 0 10 0
`;

describe('the holder of a port', () => {
  it('is the listening socket of the table, and no connection to it', () => {
    expect(listenersOf(TABLE, 8377)).toEqual([{ uid: 1000, inode: '4711' }]);
    expect(listenersOf(TABLE, 80)).toEqual([{ uid: 0, inode: '17' }]);
    expect(listenersOf(TABLE, 8378)).toEqual([]);
    expect(listenersOf('', 8377)).toEqual([]);
  });

  it.each(['127.0.0.1', '::1'])('is this process while it listens on %s, and nobody afterwards', async (host) => {
    const server = await listening(host);
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(portHolder(port)).toEqual({ uid: process.getuid?.(), process: { pid: process.pid, name: expect.stringMatching(/./) } });
    await new Promise((resolve) => server.close(resolve));
    expect(portHolder(port)).toBeUndefined();
  });
});

function listening(host: string): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => resolve(server));
  });
}
