/** The two calls of libsodium that Writ uses; the package ships no types. */
declare module 'sodium-native' {
  interface Sodium {
    /** Writes 64 bytes into `signature`. `secretKey` is seed and public key, 64 bytes. */
    crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
    crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  }
  const sodium: Sodium;
  export default sodium;
}
