/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { crc32, deflateSync } from 'node:zlib';
import type { OpenedPage } from './browse';

const WIDTH = 320;
const HEIGHT = 240;

function chunk(type: string, content: Buffer): Buffer {
	const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
	const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(content.length);
	sum.writeUInt32BE(crc32(named));
	return Buffer.concat([length, named, sum]);
}

/** A picture of a page of the shop, as a PNG in base64: a card for each offer, with bars for its name, price and rating. */
export function pictureOf({ offers }: OpenedPage): string {
	// Each row begins with a byte that says how it is encoded: 0, as it is.
	const rows = Array.from({ length: HEIGHT }, () => Buffer.alloc(WIDTH + 1, 255).fill(0, 0, 1));
	const bar = (grey: number, left: number, top: number, width: number, height: number) =>
		rows.slice(top, top + height).forEach((row) => row.fill(grey, left + 1, left + 1 + width));
	bar(60, 12, 10, 120, 12);
	offers.forEach(({ name, price, rating }, index) => {
		const [left, top] = [12 + (index % 2) * 152, 32 + Math.floor(index / 2) * 50];
		bar(235, left, top, 144, 44);
		bar(80, left + 8, top + 8, Math.min(128, name.length * 5), 6);
		bar(130, left + 8, top + 20, Math.min(128, Math.round(10 + Math.log2((price ?? 0) + 1) * 10)), 6);
		bar(190, left + 8, top + 32, Math.round(rating * 20), 5);
	});
	const head = Buffer.alloc(13);
	head.writeUInt32BE(WIDTH, 0);
	head.writeUInt32BE(HEIGHT, 4);
	head[8] = 8; // eight bits for each pixel, grey
	const chunks = [chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0))];
	return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]).toString('base64');
}
