import { WandSparkles } from 'lucide-react';
import { useT } from '#/lib/i18n';
import type { CustomInput } from '#/resource/define';
import { Button } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { PasswordInput } from '#/ui/field';

/** No look-alike characters, so that a password can be read aloud; 20 of 56 characters give 116 bits. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20;

/** A random password from the browser's cryptographic source, without modulo bias. */
export function randomPassword(): string {
  const limit = 256 - (256 % ALPHABET.length);
  let password = '';
  while (password.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) {
      if (byte < limit && password.length < LENGTH) password += ALPHABET[byte % ALPHABET.length];
    }
  }
  return password;
}

/** Password field with a button that generates a password and copies it. */
export function PasswordField({ input }: { readonly input: CustomInput }) {
  const t = useT();
  return (
    <div className="flex gap-2">
      <div className="grow">
        <PasswordInput
          id={input.id}
          aria-describedby={input.describedBy}
          aria-invalid={input.invalid || undefined}
          disabled={input.disabled}
          value={String((input.value as string | null | undefined) ?? '')}
          onChange={(event) => input.onChange(event.target.value)}
        />
      </div>
      <Button
        icon={WandSparkles}
        onClick={() => {
          const password = randomPassword();
          input.onChange(password);
          void copyText(password);
        }}
      >
        {t('users:form.generate')}
      </Button>
    </div>
  );
}
