import { textOf } from '#/resource/format';
import { Chip, Missing } from '#/ui/status';

/** A label: its name in grey, its value. */
export function LabelChip({ text }: { readonly text: string }) {
  const [name, ...value] = text.split(':');
  return (
    <Chip title={text}>
      <span>{name}</span> <span className="font-medium text-ink-1">{value.join(':')}</span>
    </Chip>
  );
}

/** The labels of a table row: the first label and the number of the others. */
export function LabelChips({ values }: { readonly values: unknown }) {
  const texts = Array.isArray(values) ? values.map(textOf) : [];
  const [first] = texts;
  if (first === undefined) return <Missing />;
  return (
    <span className="inline-flex gap-1.5" title={texts.join(', ')}>
      <LabelChip text={first} />
      {texts.length > 1 && <Chip>+{texts.length - 1}</Chip>}
    </span>
  );
}
