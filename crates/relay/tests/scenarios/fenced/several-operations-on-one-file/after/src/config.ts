export const port = 5000;
export const host = 'localhost';
