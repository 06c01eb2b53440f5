// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/desktop/about_dialog.h"

#include <QDialogButtonBox>
#include <QFile>
#include <QHeaderView>
#include <QIcon>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <initializer_list>
#include <iterator>

#include "backend/base/version.h"

namespace divisi::shell {

namespace {

/// A library, which of our programs use it, and its licence by its SPDX name.
struct Library {
    const char *name, *used_by, *licence;
};

constexpr const char* of_console = QT_TRANSLATE_NOOP("divisi::shell::AboutDialog", "console");
constexpr const char* of_all = QT_TRANSLATE_NOOP("divisi::shell::AboutDialog", "all programs");
constexpr const char* of_backend = QT_TRANSLATE_NOOP("divisi::shell::AboutDialog", "orchestrator, terminal");
constexpr const char* of_instances = QT_TRANSLATE_NOOP("divisi::shell::AboutDialog", "instances");

constexpr Library used_libraries[] = {
    {"Qt Charts", of_console, "GPL-3.0-only"},
    {"Qt", of_console, "LGPL-3.0-only or GPL-2.0-or-later"},
    {"ZeroMQ", of_all, "LGPL-3.0-or-later with its exception for linking"},
    {"cppzmq", of_all, "MIT"},
    {"libsodium", of_all, "ISC"},
    {"Protocol Buffers", of_all, "BSD-3-Clause"},
    {"ONNX", of_all, "Apache-2.0"},
    {"toml++", of_all, "MIT"},
    {"SQLite", of_all, "Public domain"},
    {"SQLiteCpp", of_all, "MIT"},
    {"libarchive", of_all, "BSD-2-Clause"},
    {"CLI11", of_all, "BSD-3-Clause"},
    {"JSON for Modern C++", of_backend, "MIT"},
    {"cpp-httplib", of_backend, "MIT"},
    {"prometheus-cpp", of_backend, "MIT"},
    {"LibTorch", of_instances, "BSD-3-Clause"},
    {"OpenBLAS", of_instances, "BSD-3-Clause"},
    {"libpng", of_instances, "libpng-2.0"},
};

QTableWidget* library_table(QWidget* parent) {
    auto* table = new QTableWidget(static_cast<int>(std::size(used_libraries)), 3, parent);
    table->setObjectName(QStringLiteral("libraryTable"));
    table->setHorizontalHeaderLabels(
        {AboutDialog::tr("Library"), AboutDialog::tr("Used by"), AboutDialog::tr("Licence")});
    table->verticalHeader()->hide();
    table->setShowGrid(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    for (int row = 0; row < table->rowCount(); ++row) {
        table->setItem(row, 0, new QTableWidgetItem(QString::fromUtf8(used_libraries[row].name)));
        table->setItem(row, 1, new QTableWidgetItem(AboutDialog::tr(used_libraries[row].used_by)));
        table->setItem(row, 2, new QTableWidgetItem(QString::fromUtf8(used_libraries[row].licence)));
    }
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

/// Makes a text box that shows a licence file of the root folder of the sources.
QPlainTextEdit* licence_text(const QString& file, QWidget* parent) {
    auto* text = new QPlainTextEdit(parent);
    QFile source(QStringLiteral(":/licences/") + file);
    if (source.open(QIODevice::ReadOnly)) text->setPlainText(QString::fromUtf8(source.readAll()));
    text->setReadOnly(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return text;
}

}  // namespace

AboutDialog::AboutDialog(QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("aboutDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("About Divisi"));
    auto* icon = new QLabel(this);
    icon->setPixmap(QIcon(QStringLiteral(":/icons/app.svg")).pixmap(64, 64));
    auto* title = new QLabel(QStringLiteral("Divisi %1").arg(QString::fromLatin1(version)), this);
    title->setObjectName(QStringLiteral("aboutTitle"));
    title->setProperty("role", QStringLiteral("title"));
    auto* text = new QLabel(this);
    text->setObjectName(QStringLiteral("aboutText"));
    text->setWordWrap(true);
    text->setText(tr("Splits the training of a model across machines.") + QStringLiteral("\n\n") +
                  tr("The console is free software under the GNU General Public License, version 3 or later "
                     "(GPL-3.0-or-later); all other programs are under the Apache License 2.0 (Apache-2.0). There is "
                     "no warranty, to the extent permitted by law.") +
                  QStringLiteral("\n\nQt %1").arg(QString::fromLatin1(qVersion())));
    auto* pages = new QTabWidget(this);
    pages->setObjectName(QStringLiteral("aboutPages"));
    pages->addTab(library_table(pages), tr("Libraries"));
    pages->addTab(licence_text(QStringLiteral("LICENSE.GPL-3.0"), pages), QStringLiteral("GPL-3.0"));
    pages->addTab(licence_text(QStringLiteral("LICENSE"), pages), QStringLiteral("Apache-2.0"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 24, 24, 16);
    column->setSpacing(16);
    for (QWidget* widget : std::initializer_list<QWidget*>{icon, title, text}) column->addWidget(widget);
    column->addWidget(pages, 1);
    column->addWidget(buttons);
    resize(720, 640);
}

}  // namespace divisi::shell

#include "moc_about_dialog.cpp"
