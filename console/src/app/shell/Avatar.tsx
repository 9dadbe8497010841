function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  if (/^[\u3400-\u9fff]/.test(name)) return name.slice(0, 1);
  return words.length > 1
    ? `${words[0]?.[0] ?? ''}${words.at(-1)?.[0] ?? ''}`.toUpperCase()
    : name.slice(0, 2).toUpperCase();
}

/** Initials of a person; `className` sets the size. Hidden from assistive technology, because the name is beside it. */
export function Avatar({ name, className }: { readonly name: string; readonly className: string }) {
  return (
    <span
      className={`grid flex-none place-items-center rounded-full bg-surface-3 font-medium text-ink-2 ${className}`}
      aria-hidden
    >
      {initials(name)}
    </span>
  );
}
