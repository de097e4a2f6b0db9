import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseStrictJson } from '../../core/canonical-json.ts';
import { isWritError, messageOf, WritError } from '../../core/errors.ts';

export const NDJSON = 'application/x-ndjson';

/** JSON only, and strictly: what `JSON.parse` would mend (two equal keys, `__proto__`, half a surrogate) is refused. */
export function acceptJson(app: FastifyInstance, maxBytes: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: maxBytes }, async (request: FastifyRequest, bytes: Buffer) => {
    refuseEncoding(request);
    return bytes.length === 0 ? undefined : read(bytes, maxBytes, request.routeOptions.config.manifests === true);
  });
}

/** Hands the body on as it comes, unbuffered: back-pressure reaches the client through `request.raw`. */
export function acceptNdjson(app: FastifyInstance): void {
  app.addContentTypeParser(NDJSON, (request, _stream, done) => {
    try {
      refuseEncoding(request);
      done(null, undefined);
    } catch (error) {
      done(error instanceof Error ? error : new Error(messageOf(error)), undefined);
    }
  });
}

export function isNdjson(request: FastifyRequest): boolean {
  const type = request.headers['content-type'];
  return type !== undefined && type.split(';', 1)[0]?.trim().toLowerCase() === NDJSON;
}

/** What Fastify says of a body, with what is accepted and how much of it; any other error as it is. */
export function withBodyRules(error: unknown, request: FastifyRequest, maxBytes: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const type = request.headers['content-type'];
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const said = type === undefined ? 'there is no Content-Type' : `the Content-Type is ${type}`;
    return new WritError('UNSUPPORTED_MEDIA_TYPE', `${said}; a body is application/json, or ${NDJSON} where the path takes many`);
  }
  if (code !== 'FST_ERR_CTP_BODY_TOO_LARGE' || type?.startsWith('application/json') !== true) return error;
  return new WritError('BODY_TOO_LARGE', `the body has more than ${maxBytes} bytes, which http.max_body_bytes of this server allows`);
}

/** A compressed body could be a bomb, and nobody needs one. */
function refuseEncoding(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw new WritError('UNSUPPORTED_MEDIA_TYPE', `no Content-Encoding is accepted, ${encoding} neither`);
}

function read(bytes: Buffer, maxBytes: number, manifests: boolean): unknown {
  try {
    return parseStrictJson(textOf(bytes), { maxBytes });
  } catch (error) {
    if (manifests || !isWritError(error) || error.code !== 'INVALID_MANIFEST') throw error;
    throw new WritError('INVALID_ARGUMENT', error.message, error.field === undefined ? {} : { field: error.field });
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new WritError('INVALID_MANIFEST', 'the body is not UTF-8');
  }
}
