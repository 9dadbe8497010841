import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CustomInput } from '#/resource/define';
import { Button } from '#/ui/button';

/** What a row of the list gets. `number` counts from 1. */
export interface RowInput<Row> {
  readonly row: Row;
  readonly number: number;
  readonly onChange: (row: Row) => void;
  readonly onRemove: () => void;
}

/** The rows of the field. Each value comes from the server or from this control. */
export function rowsOf<Row>(input: CustomInput): readonly Row[] {
  return (Array.isArray(input.value) ? input.value : []) as readonly Row[];
}

/** A list of rows as the value of a field. `empty` says what a list without rows means. */
export function RowsInput<Row>({
  input,
  empty,
  add,
  made,
  children,
  note,
}: {
  readonly input: CustomInput;
  readonly empty: string;
  readonly add: string;
  readonly made: () => Row;
  readonly children: (row: RowInput<Row>) => ReactNode;
  readonly note?: ReactNode;
}) {
  const rows = rowsOf<Row>(input);
  return (
    <div
      id={input.id}
      role="group"
      aria-label={input.label}
      aria-describedby={input.describedBy}
      className="grid gap-2"
    >
      {rows.length === 0 && <p className="pt-1 text-ink-2">{empty}</p>}
      {rows.map((row, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows have no other identity
        <div key={index}>
          {children({
            row,
            number: index + 1,
            onChange: (changed) => input.onChange(rows.map((other, at) => (at === index ? changed : other))),
            onRemove: () => input.onChange(rows.filter((_, at) => at !== index)),
          })}
        </div>
      ))}
      {note}
      {!input.disabled && (
        <span>
          <Button size="sm" icon={Plus} onClick={() => input.onChange([...rows, made()])}>
            {add}
          </Button>
        </span>
      )}
    </div>
  );
}
