/** The lines of a plain table with these columns in line: numbers as they are, and of an address its last two parts. */
export function plainTable(rows, names) {
	const lines = [names, ...rows.map((row) => names.map((name) => shortened(String(row[name] ?? ''))))];
	const widths = names.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
	const padded = (cells) => cells.map((cell, column) => cell.padEnd(widths[column])).join('  ');
	return lines.map((cells) => padded(cells).trimEnd()).join('\n');
}

const shortened = (text) => text.replace(/^https?:\/\/\S*?\/(?=[^/\s]+\/[^/\s]+$)/, '…/');
