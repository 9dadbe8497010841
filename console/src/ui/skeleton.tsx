/** Grey bars in the final layout; hidden for the first 150 ms. */
export function Skeleton({ className = '' }: { readonly className?: string }) {
  return <div className={`pt-skeleton ${className}`} aria-hidden />;
}

export function SkeletonLines({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div className="grid gap-4 p-4" aria-hidden>
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton key={index} className={['w-2/5', 'w-3/5', 'w-1/2'][index % 3]} />
      ))}
    </div>
  );
}

/** Line of 2 px on the top edge of a table during a refetch. */
export function ProgressLine({ busy }: { readonly busy: boolean }) {
  return <div className="pt-progress" data-busy={busy || undefined} aria-hidden />;
}
