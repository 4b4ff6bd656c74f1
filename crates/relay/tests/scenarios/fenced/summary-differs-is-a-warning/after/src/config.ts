export const port = 7;
