import { createContext, type ReactNode } from 'react';

/** What the frame offers to a screen that fills the window and draws its own bar: search, messages. */
export const FrameTools = createContext<ReactNode>(null);
