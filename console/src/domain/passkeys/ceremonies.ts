import { translate } from '#/lib/i18n';
import { type Ceremony, finish, start } from './api';
import { PasskeyProblem } from './problem';

/** Whether this browser can use passkeys at all. Without https (except on localhost) it cannot. */
export function canUsePasskeys(): boolean {
  return typeof PublicKeyCredential !== 'undefined' && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
}

/** All refusals of the browser, a cancelled one too, have the same name, so that a page learns nothing from them. */
function problemOf(error: unknown, origin: string): PasskeyProblem {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'SecurityError') return new PasskeyProblem(translate('passkeys:other_address', { origin }));
  return new PasskeyProblem(
    translate(name === 'InvalidStateError' ? 'passkeys:present' : 'passkeys:not_done'),
  );
}

async function answered(origin: string, ask: () => Promise<Credential | null>): Promise<object> {
  if (!canUsePasskeys()) throw new PasskeyProblem(translate('passkeys:unsupported'));
  if (location.origin !== origin) throw new PasskeyProblem(translate('passkeys:other_address', { origin }));
  let credential: Credential | null;
  try {
    credential = await ask();
  } catch (error) {
    throw problemOf(error, origin);
  }
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyProblem(translate('passkeys:not_done'));
  return credential.toJSON() as object;
}

/** Asks the browser for a passkey and sends it. `more`: further fields of the body. Throws PasskeyProblem. */
export async function showPasskey<Answer>(
  what: Exclude<Ceremony, 'enrol'>,
  more: object = {},
): Promise<Answer> {
  const { publicKey, origin } = await start<PublicKeyCredentialRequestOptionsJSON>(what);
  const credential = await answered(origin, () =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) }),
  );
  return finish<Answer>(what, { credential, ...more });
}

/** Has the browser make a passkey and stores it under this name. Throws PasskeyProblem. */
export async function makePasskey<Answer>(name: string): Promise<Answer> {
  const { publicKey, origin } = await start<PublicKeyCredentialCreationOptionsJSON>('enrol');
  const credential = await answered(origin, () =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) }),
  );
  return finish<Answer>('enrol', { credential, name });
}
