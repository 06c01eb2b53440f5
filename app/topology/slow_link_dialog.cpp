// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/slow_link_dialog.h"

#include <QFormLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/client/refusal_text.h"
#include "backend/base/quantity.h"

namespace divisi::topology {

namespace {

/// Parses a field into seconds or bytes per second; 0 if it is empty.
Result<double> read(const QLineEdit& field, std::span<const Unit> units) {
    const std::string text = field.text().trimmed().toStdString();
    if (text.empty()) return 0.0;
    return parse_quantity(text, units);
}

QString number(double value) { return QString::number(value, 'g', 6); }

}  // namespace

SlowLinkDialog::SlowLinkDialog(control::LinkFault now, QWidget* parent)
    : QDialog(parent),
      fault_(std::move(now)),
      rate_(new QLineEdit(this)),
      delay_(new QLineEdit(this)),
      problem_(new QLabel(this)),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Cancel, this)) {
    setObjectName(QStringLiteral("slowLinkDialog"));
    setWindowTitle(
        tr("Slow the link %1 \u2013 %2").arg(QString::fromStdString(fault_.a), QString::fromStdString(fault_.b)));
    rate_->setObjectName(QStringLiteral("slowRate"));
    rate_->setPlaceholderText(tr("unlimited"));
    delay_->setObjectName(QStringLiteral("slowDelay"));
    delay_->setPlaceholderText(tr("none"));
    const bool slowed = fault_.bytes_per_s > 0 || fault_.delay_s > 0;
    if (fault_.bytes_per_s > 0) rate_->setText(number(fault_.bytes_per_s / 1e6) + QStringLiteral(" MB/s"));
    if (fault_.delay_s > 0) delay_->setText(number(fault_.delay_s * 1e3) + QStringLiteral(" ms"));
    if (!slowed) rate_->setText(QStringLiteral("20 MB/s"));
    problem_->setObjectName(QStringLiteral("slowProblem"));
    problem_->setProperty("role", QStringLiteral("error"));
    problem_->setWordWrap(true);
    auto* explanation = new QLabel(tr("Applies in both directions, until the link is healed."), this);
    explanation->setProperty("role", QStringLiteral("faint"));
    auto* form = new QFormLayout;
    form->addRow(tr("Rate"), rate_);
    form->addRow(tr("Added delay"), delay_);
    QPushButton* slow = buttons_->addButton(tr("Slow the link"), QDialogButtonBox::AcceptRole);
    slow->setObjectName(QStringLiteral("slowAccept"));
    slow->setProperty("primary", true);
    slow->setDefault(true);
    auto* column = new QVBoxLayout(this);
    column->addLayout(form);
    column->addWidget(explanation);
    column->addWidget(problem_);
    column->addWidget(buttons_);
    setMinimumWidth(360);
    connect(rate_, &QLineEdit::textChanged, this, &SlowLinkDialog::check);
    connect(delay_, &QLineEdit::textChanged, this, &SlowLinkDialog::check);
    connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
    fault_.cut = false;
    check();
}

void SlowLinkDialog::check() {
    using control::least_fault_bytes_per_s, control::most_fault_bytes_per_s, control::most_fault_delay_s;
    const Result<double> rate = read(*rate_, bandwidth_units), delay = read(*delay_, latency_units);
    QString problem;
    if (!rate.ok()) problem = tr("Rate: %1; write e.g. 20 MB/s").arg(client::quoted_problem(rate.error()));
    else if (!delay.ok()) problem = tr("Added delay: %1; write e.g. 10 ms").arg(client::quoted_problem(delay.error()));
    else if (*rate != 0 && (*rate < least_fault_bytes_per_s || *rate > most_fault_bytes_per_s))
        problem = tr("The rate must be between 1 kB/s and 1 TB/s.");
    else if (*delay < 0 || *delay > most_fault_delay_s)
        problem = tr("The delay must not exceed %1 s.").arg(most_fault_delay_s);
    else if (*rate == 0 && *delay == 0) problem = tr("Give a rate, a delay, or both.");
    if (problem.isEmpty()) fault_.bytes_per_s = *rate, fault_.delay_s = *delay;
    problem_->setText(problem);
    for (QAbstractButton* button : buttons_->buttons())
        if (buttons_->buttonRole(button) == QDialogButtonBox::AcceptRole) button->setEnabled(problem.isEmpty());
}

}  // namespace divisi::topology

#include "moc_slow_link_dialog.cpp"
