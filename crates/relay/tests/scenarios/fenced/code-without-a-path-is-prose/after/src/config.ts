export const port = 4;
