import type { ComponentProps } from 'react';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import {
  Button,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  CalendarMonthPicker,
  CalendarYearPicker,
} from 'react-aria-components';
import { currentLanguage } from '#/lib/i18n';
import './dates.css';

/** Number of years in the list, which is centred on the displayed year. */
const YEARS = 40;

type ChoiceOfMonthOrYear = Parameters<ComponentProps<typeof CalendarMonthPicker>['children']>[0];

function Chosen({ 'aria-label': label, value, onChange, items }: ChoiceOfMonthOrYear) {
  return (
    <select
      className="pt-field pt-field-quiet w-auto! max-sm:min-h-9!"
      aria-label={label}
      value={String(value)}
      onChange={(event) => onChange(Number(event.target.value))}
    >
      {items.map(({ id, formatted }) => (
        <option key={id} value={id}>
          {formatted}
        </option>
      ))}
    </select>
  );
}

/** Month and year selects, between the buttons for the previous and next month. */
function MonthHeading() {
  const month = <CalendarMonthPicker format="long">{(choice) => <Chosen {...choice} />}</CalendarMonthPicker>;
  const year = (
    <CalendarYearPicker visibleYears={YEARS}>{(choice) => <Chosen {...choice} />}</CalendarYearPicker>
  );
  const step = 'pt-button max-sm:size-9!';
  return (
    <div className="mb-1.5 flex items-center justify-between gap-1">
      <Button slot="previous" className={step} data-kind="text" data-size="md" data-icon-only="">
        <ChevronLeft aria-hidden />
      </Button>
      <span className="flex items-center gap-1">
        {/* Chinese puts the year first. */}
        {currentLanguage() === 'zh' ? (
          <>
            {year}
            {month}
          </>
        ) : (
          <>
            {month}
            {year}
          </>
        )}
      </span>
      <Button slot="next" className={step} data-kind="text" data-size="md" data-icon-only="">
        <ChevronRight aria-hidden />
      </Button>
    </div>
  );
}

/**
 * One month as a grid: arrows move by day and week, Page up and down by month, with Shift by year, Home and End to the
 * ends of the month.
 */
export function MonthGrid() {
  return (
    <>
      <MonthHeading />
      <CalendarGrid weekdayStyle="short" className="pt-month">
        <CalendarGridHeader>
          {(day) => <CalendarHeaderCell className="pt-weekday">{day}</CalendarHeaderCell>}
        </CalendarGridHeader>
        <CalendarGridBody>{(date) => <CalendarCell date={date} className="pt-day" />}</CalendarGridBody>
      </CalendarGrid>
    </>
  );
}
