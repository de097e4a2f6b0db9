import { isJSONRPCErrorResponse, type JSONRPCMessage, type McpError } from '@modelcontextprotocol/sdk/types.js';

/** Stands around the data of an error that came over the wire. */
class SaidByServer {
  readonly data: unknown;

  constructor(data: unknown) {
    this.data = data;
  }
}

/**
 * A message as it came from the server; a transport hands on nothing else that way. The SDK gives errors of its own the codes
 * -32000 and -32001, which servers use as well, so a code does not tell who speaks.
 */
export function fromServer(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCErrorResponse(message)) return message;
  return { ...message, error: { ...message.error, data: new SaidByServer(message.error.data) } };
}

/** Whether the server itself answered with the error. */
export function isSaidByServer({ data }: McpError): boolean {
  return data instanceof SaidByServer;
}
