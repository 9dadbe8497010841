import { explain } from '#/lib/http/catalogue';

/** Why the browser gave no passkey; the message is in the person's language. */
export class PasskeyProblem extends Error {}

/** The text of a failed call of passkeys: of the browser, or of the server. */
export function passkeyText(error: unknown): string {
  return error instanceof PasskeyProblem ? error.message : explain(error);
}
