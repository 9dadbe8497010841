import { Checkbox } from './choice';
import type { QuestionOption } from './question';
import { visible, VisibleText } from './visible-text';

const DETAILS_SHOWN = 5;

/** Checkboxes, each with a list of details. */
export function Choices({
  options,
  chosen,
  onChange,
}: {
  readonly options: readonly QuestionOption[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  return (
    <ul className="mt-2 grid gap-2">
      {options.map(({ value, label, details = [] }) => (
        <li key={value} className="min-w-0">
          <Checkbox
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(
                target.checked ? [...chosen, value] : chosen.filter((chosenValue) => chosenValue !== value),
              )
            }
          >
            {label}
          </Checkbox>
          <ul className="pl-6 font-mono text-meta text-ink-3">
            {details.slice(0, DETAILS_SHOWN).map((detail) => (
              <li key={detail} className="truncate" title={visible(detail)}>
                <VisibleText text={detail} />
              </li>
            ))}
            {details.length > DETAILS_SHOWN && <li>+{details.length - DETAILS_SHOWN}</li>}
          </ul>
        </li>
      ))}
    </ul>
  );
}
