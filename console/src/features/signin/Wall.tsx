import { useT } from '#/lib/i18n';
import { Logo } from '#/ui/logo';

const COURSE = 42;
const COURSES = 24;
const STONE_WIDTHS = [124, 148, 112, 138, 130];

/** Vertical joints of one course of stones, shifted so that they never align with those of the course above. */
function joints(course: number): number[] {
  const at: number[] = [];
  let x = -((course * 61) % 120);
  for (let index = 0; x < 700; index++) {
    x += STONE_WIDTHS[(course + index) % STONE_WIDTHS.length] ?? 130;
    at.push(x);
  }
  return at;
}

function Stones() {
  const lines: string[] = [];
  for (let course = 1; course <= COURSES; course++) {
    const y = -course * COURSE;
    lines.push(`M0 ${y}H700`);
    for (const x of joints(course)) lines.push(`M${x} ${y}v${COURSE}`);
  }
  return <path d={lines.join('')} className="fill-none stroke-[var(--wall-joint)]" strokeWidth="1" />;
}

/** The wall with the small lit gate on the sign-in page: decoration with one sentence. */
export function Wall() {
  const t = useT();
  return (
    <aside className="relative overflow-hidden bg-(--wall) max-md:hidden">
      <svg
        viewBox="0 -700 600 860"
        preserveAspectRatio="xMidYMax slice"
        className="absolute inset-0 size-full"
        aria-hidden
      >
        <defs>
          <linearGradient id="wall-fade" x1="0" y1="0" x2="0" y2="1">
            <stop offset="0.3" stopColor="var(--wall)" stopOpacity=".85" />
            <stop offset="0.8" stopColor="var(--wall)" stopOpacity="0" />
          </linearGradient>
          <radialGradient id="gate-glow">
            <stop offset="0" stopColor="var(--wall-glow)" stopOpacity=".75" />
            <stop offset="1" stopColor="var(--wall-glow)" stopOpacity="0" />
          </radialGradient>
          <linearGradient id="gate-lamp" x1="0" y1="0" x2="0" y2="1">
            <stop offset="0" stopColor="var(--wall-lamp)" />
            <stop offset="1" stopColor="var(--wall-lamp-2)" />
          </linearGradient>
          <linearGradient id="gate-path" x1="0" y1="0" x2="0" y2="1">
            <stop offset="0" stopColor="var(--wall-lamp-2)" stopOpacity=".5" />
            <stop offset="1" stopColor="var(--wall-lamp-2)" stopOpacity="0" />
          </linearGradient>
        </defs>
        <Stones />
        <rect x="0" y="-1100" width="600" height="1100" fill="url(#wall-fade)" />
        <circle cx="452" cy="-70" r="250" fill="url(#gate-glow)" />
        <rect x="-200" y="0" width="1000" height="400" className="fill-[var(--wall-ground)]" />
        <path d="M438 0h58l62 150H374z" fill="url(#gate-path)" />
        <path d="M396 0v-88a56 56 0 0 1 112 0V0z" className="fill-[var(--wall-ground)]" />
        <path d="M408 0v-86a44 44 0 0 1 88 0V0z" fill="url(#gate-lamp)" />
        <path d="M408 0v-86a44 44 0 0 1 30-41.7V0z" className="fill-[var(--wall-door)]" />
        <circle cx="431" cy="-48" r="2.6" className="fill-[var(--wall-text)]" />
      </svg>
      <div className="relative p-12">
        <Logo markClass="text-(--wall-text)" wordClass="text-(--wall-text)" size="h-7 w-[119px]" />
        <p className="mt-24 text-[26px] leading-[38px] font-semibold whitespace-pre-line text-(--wall-text)">
          {t('signin:wall.promise')}
        </p>
        <p className="mt-4 text-lead leading-6 whitespace-pre-line text-(--wall-text-2)">
          {t('signin:wall.how')}
        </p>
      </div>
    </aside>
  );
}
