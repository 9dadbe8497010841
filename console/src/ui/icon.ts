import type { LucideIcon } from 'lucide-react';

/** An icon component of the lucide set; size and stroke come from styles.css. */
export type Icon = LucideIcon;
