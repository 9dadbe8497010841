/** The secret to send: password and private key as far as they were entered. */
export function secretOf(
  password: string,
  key: string,
): { readonly password?: string; readonly private_key?: string } {
  return {
    ...(password === '' ? {} : { password }),
    ...(key.trim() === '' ? {} : { private_key: key }),
  };
}
