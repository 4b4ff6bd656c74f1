export const port = 3000;
export const host = 'localhost';
