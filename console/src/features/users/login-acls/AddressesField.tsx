import { useState } from 'react';
import type { CustomInput } from '#/resource/define';
import { TextArea } from '#/ui/field';

const itemsOf = (text: string): string[] => text.split(/[\s,]+/).filter((item) => item !== '');

/** Addresses, one in each line; blanks and commas separate them too. */
export function AddressesField({ input }: { readonly input: CustomInput }) {
  const [text, setText] = useState(() =>
    Array.isArray(input.value) ? input.value.map(String).join('\n') : '',
  );
  return (
    <TextArea
      id={input.id}
      rows={4}
      className="max-w-md font-mono"
      spellCheck={false}
      aria-describedby={input.describedBy}
      aria-invalid={input.invalid || undefined}
      disabled={input.disabled}
      placeholder={'10.0.0.0/8\n192.0.2.10-192.0.2.20'}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        input.onChange(itemsOf(event.target.value));
      }}
    />
  );
}
